;;
;; Parameters for the AmigoBot
;;

AngleConvFactor 0.001534 ; radians per angular unit (2PI/4096)
DistConvFactor 0.5083 ; mm
VelConvFactor 0.6154 ; mm/sec
RobotRadius 180.0 ; radius in mm
RobotDiagonal 120.0 ; half-height to diagonal of display octogon
Holonomic 1 ; turns in own radius
MaxRVelocity 300.0 ; degrees per second
MaxVelocity 1000.0 ; mm per second
RangeConvFactor 1.000 ; sonar range mm
DiffConvFactor 0.011 ; rotational velocity convert to deg/sec

;;
;; Robot class, subclass
;;
Class Pioneer
Subclass amigo
SonarNum 8 ; total sonars

;;
;; Sonar parameters
;; SonarNum is number of sonars
;; SonarUnit I X Y TH is unit I (0 to N-1) description
;; X, Y are position of sonar in mm, TH is bearing in degrees
;;
;;
;; Six forward sonars:
;; # x y th
;;-----
SonarUnit 0 75 105 90
SonarUnit 1 115 80 44
SonarUnit 2 140 30 12
SonarUnit 3 140 -30 -12
SonarUnit 4 115 -80 -44
SonarUnit 5 75 -105 -90

;; These are for the two rear sonars:
;; # x y th
;;-----
SonarUnit 6 -140 -82 -144
SonarUnit 7 -140 82 -216

;; Number of readings to keep in circular buffers
FrontBuffer 20
SideBuffer 40
QuickBuffer 24
